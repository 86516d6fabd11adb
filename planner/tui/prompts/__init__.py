"""What is typed into: a cell, a name, a search, a path. Each owns its buffer; none is a widget."""
