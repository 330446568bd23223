"""The only HTTP to OpenStack: sessions, and one thin typed client a service.

Rule: a call that changes something passes the guard immediately before it is sent, is sent
once, and its failure comes out as one of the errors of :mod:`stoker.errors`.
"""
