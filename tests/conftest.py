"""What is the same for every test."""

import os

# pytest loads readline, which tells every process started from here that the terminal has 80 columns.
os.environ["COLUMNS"] = "120"
