"""What is made of the rows before anything is counted: files linked, columns recoded, gaps filled, rows chosen."""
