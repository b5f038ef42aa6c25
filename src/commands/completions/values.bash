
# Completes as the functions above do, but by words as the shell has them: readline splits words at `=`, too.
# Of an argument with several values, the name counts for all of them.
_labrys_by_words() {
    local -a COMP_WORDS
    local COMP_CWORD cur prev word lists=' @LISTS@ '
    read -ra COMP_WORDS <<< "${COMP_LINE:0:COMP_POINT}"
    [[ ${COMP_LINE:0:COMP_POINT} == *[[:space:]] ]] && COMP_WORDS+=('')
    COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
    cur=${COMP_WORDS[COMP_CWORD]}
    prev=${COMP_WORDS[COMP_CWORD - 1]}
    if [[ $cur == --*=* ]]; then
        prev=${cur%%=*}
        cur=${cur#*=}
        COMP_WORDS[COMP_CWORD]=$prev
        COMP_WORDS+=("$cur")
        COMP_CWORD=$((COMP_CWORD + 1))
    elif [[ $cur != -* ]]; then
        for word in "${COMP_WORDS[@]:0:COMP_CWORD}"; do
            [[ $word == --* && $lists == *" $word "* ]] && prev=$word
            [[ $word == --* && $lists != *" $word "* ]] && prev=${COMP_WORDS[COMP_CWORD - 1]}
        done
    fi
    _labrys "$1" "$cur" "$prev"
    [[ ${#COMPREPLY[@]} -eq 1 && ${COMPREPLY[0]} == *= ]] && compopt -o nospace
    if [[ $cur == *=* && $COMP_WORDBREAKS == *=* ]]; then
        COMPREPLY=("${COMPREPLY[@]#"${cur%=*}="}")
    fi
    return 0
}
