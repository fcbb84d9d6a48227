"""Column generation under sizes and soft links, where clusters must partition the blocks."""
