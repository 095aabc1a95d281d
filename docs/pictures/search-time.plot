title Search time over the number of notes
unit notes in the vault (bench/README.md, 2 cores)
series literal in few notes: 10000 0.0926, 100000 0.212, 1000000 8.91
series regex with a literal part: 10000 0.374, 100000 1.11
series literal in half of the notes: 10000 1.61, 100000 27.9
