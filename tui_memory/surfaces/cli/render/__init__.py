"""What commands print for people: plain text, aligned by display width, clean of what a terminal would obey."""
