
# What the words above leave out: the values of arguments.
var labrys-values = [
@VALUES@]
var labrys-lists = [@LISTS@]
var labrys-flags = $edit:completion:arg-completer[labrys]
set edit:completion:arg-completer[labrys] = {|@words|
    fn offer {|values|
        for value $values {
            if (str:has-suffix $value '=') {
                edit:complex-candidate $value &code-suffix=''
            } else {
                put $value
            }
        }
    }
    var command = 'labrys'
    var flag = ''
    var is-taken = $false
    for word $words[1..-1] {
        if (str:has-prefix $word '-') {
            set flag = $word
            set is-taken = $false
        } elif (eq $flag '') {
            set command = $command';'$word
        } elif (not (has-value $labrys-lists $flag)) {
            set is-taken = $true
        }
    }
    var last = $words[-1]
    var key = $command';'$flag
    if (and (str:has-prefix $last '--') (str:contains $last '=')) {
        var name = [(str:split &max=2 '=' $last)][0]
        if (has-key $labrys-values $command';'$name) {
            offer [(for value $labrys-values[$command';'$name] { put $name'='$value })]
        }
    } elif (and (has-key $labrys-values $key) (not $is-taken) (not (str:has-prefix $last '-'))) {
        offer $labrys-values[$key]
    } else {
        $labrys-flags $@words
    }
}
