"""Where old plugins look for what is elsewhere now."""
