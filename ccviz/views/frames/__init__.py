"""What each figure shows, worked out from a run or its records with numpy alone."""
