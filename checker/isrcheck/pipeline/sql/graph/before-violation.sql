-- Which actions lead into the states that are one step from a violation?
SELECT property, action, count(*) AS steps, count(DISTINCT target) AS states
FROM edges
JOIN (
    SELECT DISTINCT v.property, e.source AS near
    FROM verdicts AS v
    JOIN edges AS e ON e.target = v.state
    LEFT ANTI JOIN verdicts AS w ON w.state = e.source AND w.property = v.property
    WHERE v.kind = 'invariant'
) ON target = near
GROUP BY property, action
ORDER BY property, steps DESC, action
