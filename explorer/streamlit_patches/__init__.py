"""All that the app does with parts of Streamlit that are not public: look here first when its version changes.

Each patch is a file that shows the fault in Streamlit. `patch.py` leaves Streamlit as it is where the part is not as expected;
`all_patches.py` lists them. The other files are small functions over parts that Streamlit does not document.
"""
