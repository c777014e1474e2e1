"""The workbench from Python: data frames in, released tables, findings and ledgers out as data frames.

`import workbench as wb` reaches everything here. Confidential values stay wrapped: only `side_by_side()` of a run shows
true values, to a reviewer who asks for it.
"""
