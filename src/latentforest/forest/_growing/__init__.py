"""How trees are grown: binned columns, cuts, splits, pruning."""
