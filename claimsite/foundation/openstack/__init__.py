"""HTTP habits that both OpenStack services share. Only the apps' ``api`` packages may import this."""
