-- Variants by properties. `violated` in one cell is enough; `holds` only if it holds in every cell that can be run.
SELECT
    model,
    property,
    max(kind) AS kind,
    CASE
        WHEN count_if(verdict = 'violated') > 0 THEN 'violated'
        WHEN count_if(verdict = 'undetermined' OR (verdict IS NULL AND status <> 'assumption-false')) > 0
            THEN 'undetermined'
        WHEN count_if(verdict = 'holds') > 0 THEN 'holds'
    END AS verdict,
    count_if(status <> 'assumption-false') AS cells,
    count_if(verdict = 'holds') AS holds,
    count_if(verdict = 'violated') AS violated,
    count_if(verdict = 'undetermined') AS undetermined,
    count_if(verdict IS NULL AND status <> 'assumption-false') AS failed,
    count_if(status = 'assumption-false') AS impossible,
    min(length) FILTER (WHERE verdict = 'violated') AS shortest
FROM verdicts
GROUP BY model, property
ORDER BY model, property
