-- One row for each cell and property that was asked. No verdict: the run came to nothing, and `status` says why.
SELECT
    c.key, c.model, c.constants, c.status,
    p.name AS property, p.kind, p.verdict, p.assurance, p.length,
    a.sizes, a.setting AS setting_names,
    transform(a.sizes, n -> int(c.constants[n])) AS size,
    array_join(transform(a.setting, n -> concat(n, '=', c.constants[n])), ' ') AS setting
FROM cells AS c
JOIN axes AS a ON a.model = c.model
LATERAL VIEW explode(c.properties) AS p
