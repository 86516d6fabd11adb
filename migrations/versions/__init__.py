"""One module for every change of the tables; what was released is never edited."""
