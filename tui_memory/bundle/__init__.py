"""An air-gap kit: the wheels of this very installation in a folder, for a machine that has no network.

`kit.make` writes one. It needs pip and a package index; no store is opened.
"""
