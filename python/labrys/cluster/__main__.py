"""`python -m labrys.cluster`."""

import sys

from .commands import main

sys.exit(main())
