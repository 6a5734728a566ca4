(in-package #:agent-q-fs/e2e)
