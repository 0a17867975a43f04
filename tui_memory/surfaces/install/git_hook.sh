# What git's hooks run: sh git_hook.sh PYTHON EVENT [the hook's own arguments].
#
# It fails never and waits for one `git rev-parse` only: the name must be asked for now, for HEAD may move on.
# All else happens behind the commit's back, in a process that git does not wait for.

python=$1 event=$2
shift 2
first=${1-} second=${2-} third=${3-} onto= pairs=
package=${0%/surfaces/install/git_hook.sh}
[ -x "$python" ] && [ -r "$package/hook.py" ] || exit 0
[ "${TUI_MEMORY_OFF:-0}" = 0 ] || exit 0
case $event in
    post-checkout) [ "$third" = 1 ] || exit 0 ;;  # files, not a branch
    post-merge) [ "$first" = 0 ] || exit 0 ;;     # a squash has made no commit yet
esac

# A rebase makes its commits one by one and tells them all in its end: the ones on the way count for nothing.
folder=${GIT_DIR:-.git}
if [ -d "$folder/rebase-merge" ] || [ -d "$folder/rebase-apply" ]; then
    [ "$event" = post-rewrite ] && [ "$first" = rebase ] || exit 0
fi

names=$(git rev-parse HEAD --git-dir --abbrev-ref HEAD 2>/dev/null) || exit 0
set -f
old_ifs=$IFS
IFS='
'
set -- $names
IFS=$old_ifs
sha=$1 folder=$2 branch=${3-}
case $branch in *\"*) branch= ;; esac

# The same where git's folder is elsewhere, as a sub-module's is.
for state in rebase-merge rebase-apply; do
    if [ -d "$folder/$state" ]; then
        [ "$event" = post-rewrite ] && [ "$first" = rebase ] || exit 0
        [ ! -r "$folder/$state/onto" ] || read -r onto <"$folder/$state/onto"
    fi
done
if [ "$event" = post-rewrite ]; then
    while read -r old new rest; do
        pairs="$pairs${pairs:+,}\"$old $new\""
    done
fi

(
    trap '' HUP
    unset GIT_DIR GIT_INDEX_FILE GIT_WORK_TREE GIT_PREFIX GIT_OBJECT_DIRECTORY GIT_ALTERNATE_OBJECT_DIRECTORIES
    printf '{"sha":"%s","branch":"%s","onto":"%s","argv":["%s","%s","%s"],"rewritten":[%s]}' \
        "$sha" "$branch" "$onto" "$first" "$second" "$third" "$pairs" |
        "$python" -I -S "$package/hook.py" git --event "$event"
) </dev/null >/dev/null 2>&1 &
exit 0
