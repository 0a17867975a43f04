"""Modal screens: they ask one thing and give a typed answer."""
