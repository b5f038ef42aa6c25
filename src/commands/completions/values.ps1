
# What the words above leave out: the values of arguments.
$labrysValues = @{
@VALUES@}
$labrysLists = @(@LISTS@)

Register-ArgumentCompleter -Native -CommandName 'labrys' -ScriptBlock {
    param($wordToComplete, $commandAst, $cursorPosition)

    $words = @($commandAst.CommandElements | Select-Object -Skip 1 | ForEach-Object { $_.ToString() })
    if ($wordToComplete -ne '' -and $words.Count -gt 0) {
        $words = @($words | Select-Object -SkipLast 1)
    }
    $command = 'labrys'
    $flag = ''
    $isTaken = $false
    foreach ($word in $words) {
        if ($word.StartsWith('-')) {
            $flag = $word
            $isTaken = $false
        } elseif ($flag -eq '') {
            $command = "$command;$word"
        } elseif ($labrysLists -notcontains $flag) {
            $isTaken = $true
        }
    }
    $begin = ''
    if ($wordToComplete -match '^(--[^=]+)=') {
        $begin = $Matches[0]
        $flag = $Matches[1]
        $isTaken = $false
    }
    $values = $labrysValues["$command;$flag"]
    if ($values -and -not $isTaken -and ($begin -ne '' -or -not $wordToComplete.StartsWith('-'))) {
        $values | ForEach-Object { "$begin$_" } |
            Where-Object { $_.StartsWith($wordToComplete, [StringComparison]::OrdinalIgnoreCase) } |
            ForEach-Object {
                [System.Management.Automation.CompletionResult]::new($_, $_, 'ParameterValue', $_)
            }
    } else {
        & $labrysFlags $wordToComplete $commandAst $cursorPosition
    }
}.GetNewClosure()
