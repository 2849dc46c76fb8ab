-- How far behind may an ISR member's high watermark be? Over all who presume to lead: states by the largest lag.
SELECT lag, count(*) AS states, min(level) AS first_level
FROM (
    SELECT state, level, max(hw[leading] - hw[member]) AS lag
    FROM (
        SELECT state, level, hw, leading, explode(isr[leading]) AS member
        FROM (SELECT *, explode(map_keys(leader)) AS leading FROM states)
        WHERE leader[leading] = leading
    )
    GROUP BY state, level
)
GROUP BY lag
ORDER BY lag
