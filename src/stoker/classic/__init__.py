"""The adapter for plugins written against Heat's classic interface.

Modules named as Heat names them (``resource``, ``properties``, ``constraints`` …) hold what a
plugin imports; ``heat`` re-exports them under the names it knows. The others turn a plugin's
class into a resource type of ours.
"""
