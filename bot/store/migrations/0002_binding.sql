-- What the verdicts of a dispatch were judged by, and the pull request whose
-- place in the merge queue a merge group is.
ALTER TABLE dispatches ADD COLUMN policy TEXT NOT NULL DEFAULT '';
ALTER TABLE targets ADD COLUMN pull INTEGER NOT NULL DEFAULT 0;
