"""Laws and exact samplers any mechanism stands on."""
