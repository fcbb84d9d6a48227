"""Steps that several methods share: seeding, scaling, fewer dimensions, soft links, clusters."""
