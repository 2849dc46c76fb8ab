"""A gate's summary as a comment on the pull request or the merge request of a job."""
