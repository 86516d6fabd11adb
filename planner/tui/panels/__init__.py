"""Pages over the grid: the explanation of a cell, and the help."""
