"""`python -m labrys_cluster`."""

import sys

from .commands import main

sys.exit(main())
