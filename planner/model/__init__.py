"""The sheet: what one scenario computes. Pure: no files, no database, no screen."""
