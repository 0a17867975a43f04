"""A team's hub: a PostgreSQL database that holds what its members share, and shows each only their own teams'."""
