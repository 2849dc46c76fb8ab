-- In how many states is there no leader on record, and nobody in the ISR on record whom the controller could elect?
SELECT
    count_if(quorum_leader IS NULL AND cardinality(quorum_isr) = 0) AS nobody_electable,
    count_if(quorum_leader IS NULL AND cardinality(quorum_isr) > 0) AS leaderless,
    count_if(quorum_leader IS NOT NULL) AS led,
    min(level) FILTER (WHERE quorum_leader IS NULL AND cardinality(quorum_isr) = 0) AS first_level
FROM states
