-- How many steps are states from the nearest violation? Backwards, breadth first; null: no violation can be reached.
SELECT property, distance, count(*) AS states, min(level) AS first_level
FROM distances
JOIN states USING (state)
GROUP BY property, distance
ORDER BY property, distance NULLS LAST
