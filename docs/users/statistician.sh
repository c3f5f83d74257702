#!/usr/bin/env bash
# Learn under two scores, stop after a minute at most, keep networks for R and a report for the colleagues.
set -euo pipefail
data=${1:-example:greenhouse}

sabna look "$data"
sabna estimate "$data" --seconds 2

for score in bic bdeu; do
    code=0
    sabna learn "$data" --score "$score" --max-parents 3 --time-limit 60 -o "$score.json" --quiet || code=$?
    case $code in
        0) echo "$score: proven optimal" ;;
        10) echo "$score: stopped at the limit, see the gap in $score.json" ;;
        *) exit "$code" ;;
    esac
    sabna convert "$score.json" "$score.bif"    # read.bif("bic.bif") in R's bnlearn
    sabna report "$score.json" -o "$score.html"
done

sabna info bic.json

# What does the harvest depend on, how well is it predicted, and what is to be expected of two greenhouses?
sabna learn "$data" --target harvest --folds 3 --max-parents 3 -o harvest.json
printf 'fertiliser,bumblebees,mildew\nnone,lazy,severe\nfull dose,busy,none\n' > new.csv
sabna predict harvest.json new.csv --target harvest -o decisions.csv
cat decisions.csv
