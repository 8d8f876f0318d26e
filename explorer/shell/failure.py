"""What a visitor reads where a page fails."""

import streamlit as st

from explorer.i18n import _


def tell(_error: Exception) -> bool:
    """One sentence, and no traceback: Streamlit has written the error itself to the server's log."""
    st.error(_("Something went wrong on this page. Reload it, or try other settings."), icon=":material/error:")
    return True
