"""The pieces screens are made of; none of them knows the store."""
