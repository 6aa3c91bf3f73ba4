"""Judge: how well does a page fit the goal, and why."""
