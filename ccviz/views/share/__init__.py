"""Taking the laboratory elsewhere: an address, code, a project file, a picture."""
