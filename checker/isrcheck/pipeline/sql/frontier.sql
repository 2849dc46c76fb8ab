-- The least sizes that break each property: violated cells with no violated cell below them in every size (Pareto).
-- `open` counts the cells below that have no verdict; where there are any, something smaller may break it too.
SELECT
    v.model,
    v.property,
    v.setting,
    array_join(zip_with(v.sizes, v.size, (n, s) -> concat(n, '=', s)), ' ') AS least,
    v.length,
    (
        SELECT count(*) FROM verdicts AS b
        WHERE b.model = v.model AND b.property = v.property AND b.setting = v.setting
            AND (b.verdict = 'undetermined' OR (b.verdict IS NULL AND b.status <> 'assumption-false'))
            AND b.size <> v.size AND forall(zip_with(b.size, v.size, (x, y) -> x <= y), small -> small)
    ) AS open,
    v.key
FROM verdicts AS v
LEFT ANTI JOIN (SELECT * FROM verdicts WHERE verdict = 'violated') AS b
    ON b.model = v.model AND b.property = v.property AND b.setting = v.setting
    AND b.size <> v.size AND forall(zip_with(b.size, v.size, (x, y) -> x <= y), small -> small)
WHERE v.verdict = 'violated'
ORDER BY v.model, v.property, v.setting, v.size
