package catalog

import (
	"regexp"
	"strings"
)

// Mistake is what a finding about a template says: in English its message, and in another
// language what its code means.
func (p Printer) Mistake(code, message string) string {
	if p.English() {
		return message
	}
	if m, ok := mistakes[code]; ok {
		return [...]string{m.de, m.fr, m.es}[p.index-1]
	}
	return p.Text("Something is wrong here.")
}

// English tells whether the language is that of messages of the service.
func (p Printer) English() bool { return p.index == 0 }

// step is a part of a place, with the number behind it.
var step = regexp.MustCompile(`^(.*?)(?: (\d+|"[^"]*"))?$`)

// Place is where in a template a finding stands, such as "table 1, row 2, cell 1, paragraph
// 3".
func (p Printer) Place(where string) string {
	if p.English() {
		return where
	}
	var parts []string
	for part := range strings.SplitSeq(where, ", ") {
		of := step.FindStringSubmatch(part)
		word, ok := places[of[1]]
		if !ok {
			parts = append(parts, part)
			continue
		}
		parts = append(parts, strings.TrimSpace([...]string{word.de, word.fr, word.es}[p.index-1]+" "+of[2]))
	}
	return strings.Join(parts, ", ")
}

// places are the parts of places by their English words.
var places = map[string]texted{
	"paragraph":                {"Absatz", "paragraphe", "párrafo"},
	"table":                    {"Tabelle", "tableau", "tabla"},
	"row":                      {"Zeile", "ligne", "fila"},
	"cell":                     {"Zelle", "cellule", "celda"},
	"header":                   {"Kopfzeile", "en-tête", "encabezado"},
	"footer":                   {"Fußzeile", "pied de page", "pie de página"},
	"footnote":                 {"Fußnote", "note de bas de page", "nota al pie"},
	"slide":                    {"Folie", "diapositive", "diapositiva"},
	"notes of slide":           {"Notizen zu Folie", "notes de la diapositive", "notas de la diapositiva"},
	"layout":                   {"Layout", "disposition", "diseño"},
	"master":                   {"Master", "masque", "patrón"},
	"tab":                      {"Tab", "onglet", "pestaña"},
	"chip":                     {"Chip", "puce", "chip"},
	"text box":                 {"Textfeld", "zone de texte", "cuadro de texto"},
	"address of a link":        {"Adresse eines Links", "adresse d’un lien", "dirección de un enlace"},
	"description of a picture": {"Beschreibung eines Bildes", "description d’une image", "descripción de una imagen"},
	"outputName":               {"Name der Ausgaben", "nom des documents produits", "nombre de los resultados"},
	"outputFolder":             {"Ordner", "dossier", "carpeta"},
	"pdfPassword":              {"Passwort", "mot de passe", "contraseña"},
	"email":                    {"E-Mail", "e-mail", "correo"},
	"when":                     {"Bedingung", "condition", "condición"},
}

// mistakes say in the other languages what the code of a finding about a template means. In
// English its message says more.
var mistakes = map[string]texted{
	"ambiguous_number":    {"Bei dieser Zahl ist unklar, ob das Zeichen Tausender trennt.", "On ne sait pas si le signe de ce nombre sépare les milliers.", "No está claro si el signo de este número separa los miles."},
	"block_in_text_box":   {"In einem Textfeld kann kein Block stehen.", "Une zone de texte ne peut pas contenir de bloc.", "Un cuadro de texto no puede contener un bloque."},
	"block_not_closed":    {"Dieser Block wird nicht geschlossen.", "Ce bloc n’est pas fermé.", "Este bloque no se cierra."},
	"block_not_open":      {"Hier endet ein Block, der nicht begonnen hat.", "Un bloc se termine ici sans avoir commencé.", "Aquí termina un bloque que no ha empezado."},
	"chart_in_text":       {"Ein Diagramm steht allein in seinem Absatz.", "Un graphique est seul dans son paragraphe.", "Un gráfico va solo en su párrafo."},
	"chart_incomplete":    {"Dem Diagramm fehlen Liste, Rubrik oder Werte.", "Il manque au graphique la liste, la catégorie ou les valeurs.", "Al gráfico le faltan la lista, la categoría o los valores."},
	"chart_too_large":     {"Das Diagramm hat zu viele Reihen oder Werte.", "Le graphique a trop de séries ou de valeurs.", "El gráfico tiene demasiadas series o valores."},
	"chart_value":         {"Ein Diagramm braucht je Eintrag einen Wert.", "Un graphique prend une valeur par élément.", "Un gráfico toma un valor por elemento."},
	"clause_incomplete":   {"Hinter der Liste fehlt etwas.", "Il manque quelque chose derrière la liste.", "Falta algo detrás de la lista."},
	"clause_unexpected":   {"Das gehört nicht hinter eine Liste.", "Ceci n’a pas sa place derrière une liste.", "Esto no va detrás de una lista."},
	"code_too_long":       {"Der Text ist zu lang für diesen Code.", "Le texte est trop long pour ce code.", "El texto es demasiado largo para este código."},
	"code_unusable":       {"Aus diesem Wert lässt sich kein solcher Code machen.", "Cette valeur ne peut pas devenir un tel code.", "Con este valor no se puede hacer ese código."},
	"division_by_zero":    {"Hier wird durch null geteilt.", "On divise ici par zéro.", "Aquí se divide entre cero."},
	"document_too_large":  {"Die Daten sind für ein Dokument zu viel.", "Les données sont trop nombreuses pour un document.", "Los datos son demasiados para un documento."},
	"each_without_list":   {"Diesem Block fehlt seine Liste.", "Il manque à ce bloc sa liste.", "A este bloque le falta su lista."},
	"else_after_else":     {"Nach einem {{else}} steht hier noch eines.", "Un autre {{else}} suit déjà un {{else}}.", "Hay otro {{else}} después de un {{else}}."},
	"fields_missing":      {"Ohne diese Felder wird das Dokument nicht erstellt.", "Sans ces champs, le document n’est pas fait.", "Sin estos campos no se crea el documento."},
	"foreign_tag":         {"So werden Tags hier nicht geschrieben.", "Les balises ne s’écrivent pas ainsi ici.", "Aquí las etiquetas no se escriben así."},
	"formula_empty":       {"Die Formel ist leer.", "La formule est vide.", "La fórmula está vacía."},
	"formula_incomplete":  {"Die Formel ist nicht vollständig.", "La formule n’est pas complète.", "La fórmula no está completa."},
	"formula_not_closed":  {"In der Formel fehlt eine schließende Klammer oder ein Anführungszeichen.", "Il manque à la formule une parenthèse ou un guillemet fermant.", "A la fórmula le falta un paréntesis o unas comillas de cierre."},
	"formula_too_deep":    {"Die Formel ist zu tief geschachtelt.", "La formule est trop imbriquée.", "La fórmula está demasiado anidada."},
	"formula_unexpected":  {"So geht die Formel nicht weiter.", "La formule ne peut pas continuer ainsi.", "La fórmula no puede seguir así."},
	"html_as_text":        {"In einem Textfeld steht HTML ohne seine Formatierung.", "Dans une zone de texte, le HTML figure sans sa mise en forme.", "En un cuadro de texto, el HTML aparece sin su formato."},
	"html_left_out":       {"Teile des HTML wurden weggelassen.", "Des parties du HTML ont été omises.", "Se omitieron partes del HTML."},
	"html_too_large":      {"Das HTML ist zu groß.", "Le HTML est trop volumineux.", "El HTML es demasiado grande."},
	"link_unusable":       {"Die Adresse des Links beginnt mit https://, http://, mailto: oder tel:.", "L’adresse du lien commence par https://, http://, mailto: ou tel:.", "La dirección del enlace empieza por https://, http://, mailto: o tel:."},
	"list_too_long":       {"Die Liste ist zu lang für dieses Dokument.", "La liste est trop longue pour ce document.", "La lista es demasiado larga para este documento."},
	"many_values":         {"Hier steht eine ganze Liste an Stelle eines Wertes.", "Une liste entière est ici à la place d’une valeur.", "Aquí hay una lista entera en lugar de un valor."},
	"markdown_too_large":  {"Der Text in Markdown ist zu lang.", "Le texte en Markdown est trop long.", "El texto en Markdown es demasiado largo."},
	"merged_rows":         {"Zeilen mit verbundenen Zellen können nicht wiederholt werden.", "Des lignes à cellules fusionnées ne peuvent pas être répétées.", "Las filas con celdas combinadas no se pueden repetir."},
	"no_slides":           {"Von der Präsentation bleibt keine Folie.", "Il ne reste aucune diapositive de la présentation.", "No queda ninguna diapositiva de la presentación."},
	"no_text":             {"Das hat eigene Felder: Nennen Sie eines davon.", "Ceci a ses propres champs : nommez-en un.", "Esto tiene campos propios: nombre uno de ellos."},
	"not_a_date":          {"Das ist kein Datum.", "Ce n’est pas une date.", "Esto no es una fecha."},
	"not_a_list":          {"Das ist keine Liste.", "Ce n’est pas une liste.", "Esto no es una lista."},
	"not_a_number":        {"Das ist keine Zahl.", "Ce n’est pas un nombre.", "Esto no es un número."},
	"not_a_tag":           {"Das wird nicht als Tag gelesen.", "Ceci n’est pas lu comme une balise.", "Esto no se lee como etiqueta."},
	"number_too_large":    {"Die Zahl ist zu groß.", "Le nombre est trop grand.", "El número es demasiado grande."},
	"object_in_block":     {"Zwischen {{#each}} und {{/each}} steht etwas, das weder Text noch Tabelle ist.", "Entre {{#each}} et {{/each}} se trouve autre chose qu’un texte ou un tableau.", "Entre {{#each}} y {{/each}} hay algo que no es texto ni tabla."},
	"picture_in_text":     {"Ein Bild kann an dieser Stelle nicht stehen.", "Une image ne peut pas se trouver à cet endroit.", "Una imagen no puede estar en este lugar."},
	"picture_size":        {"Die Größe des Bildes ist falsch geschrieben.", "La taille de l’image est mal écrite.", "El tamaño de la imagen está mal escrito."},
	"picture_too_large":   {"Das Bild ist zu groß.", "L’image est trop grande.", "La imagen es demasiado grande."},
	"picture_unusable":    {"Dieses Bild kann nicht verwendet werden.", "Cette image ne peut pas être utilisée.", "Esta imagen no se puede usar."},
	"pictures_too_large":  {"Die Bilder sind zusammen zu groß.", "Les images sont trop grandes ensemble.", "Las imágenes juntas son demasiado grandes."},
	"series_undeclared":   {"Diese Nummernserie kennt das Dokument nicht.", "Le document ne connaît pas cette série de numéros.", "El documento no conoce esta serie de números."},
	"table_in_block":      {"Eine Tabelle steht in einer Zelle, die wiederholt wird.", "Un tableau se trouve dans une cellule qui est répétée.", "Una tabla está en una celda que se repite."},
	"tabs_printed":        {"Das Dokument hat mehrere Tabs, und ein PDF druckt jeden.", "Le document a plusieurs onglets, et un PDF les imprime tous.", "El documento tiene varias pestañas, y un PDF las imprime todas."},
	"tag_broken":          {"Im Tag stehen Leerzeichen zwischen den Klammern.", "Il y a des espaces entre les accolades de la balise.", "Hay espacios entre las llaves de la etiqueta."},
	"tag_not_closed":      {"Dem Tag fehlen die schließenden Klammern }}.", "Il manque à la balise les accolades fermantes }}.", "A la etiqueta le faltan las llaves de cierre }}."},
	"tag_not_filled":      {"An dieser Stelle wird der Tag nicht ausgefüllt.", "La balise n’est pas remplie à cet endroit.", "La etiqueta no se rellena en este lugar."},
	"tag_not_opened":      {"Dem Tag fehlen die öffnenden Klammern {{.", "Il manque à la balise les accolades ouvrantes {{.", "A la etiqueta le faltan las llaves de apertura {{."},
	"template_too_costly": {"Formeln und Blöcke brauchen für diese Daten zu viele Schritte.", "Les formules et les blocs demandent trop d’étapes pour ces données.", "Las fórmulas y los bloques necesitan demasiados pasos para estos datos."},
	"text_too_long":       {"Der Text ist zu lang.", "Le texte est trop long.", "El texto es demasiado largo."},
	"too_many_clauses":    {"Hinter der Liste steht zu viel.", "Il y a trop d’indications derrière la liste.", "Hay demasiadas indicaciones detrás de la lista."},
	"too_many_pictures":   {"Es sind zu viele Bilder.", "Il y a trop d’images.", "Hay demasiadas imágenes."},
	"too_many_slides":     {"Es würden zu viele Folien.", "Il y aurait trop de diapositives.", "Habría demasiadas diapositivas."},
	"two_charts":          {"Zwei Diagramme haben denselben Tag.", "Deux graphiques ont la même balise.", "Dos gráficos tienen la misma etiqueta."},
	"two_lists":           {"Eine Zeile nennt Felder von zwei Listen.", "Une ligne nomme des champs de deux listes.", "Una fila nombra campos de dos listas."},
	"unknown_block":       {"Diesen Block gibt es nicht.", "Ce bloc n’existe pas.", "Este bloque no existe."},
	"unknown_currency":    {"Diese Währung gibt es nicht.", "Cette monnaie n’existe pas.", "Esta moneda no existe."},
	"unknown_date_format": {"Dieses Format für ein Datum gibt es nicht.", "Ce format de date n’existe pas.", "Este formato de fecha no existe."},
	"unknown_field":       {"Dieses Feld gibt es nicht.", "Ce champ n’existe pas.", "Este campo no existe."},
	"unknown_function":    {"Diese Funktion gibt es nicht.", "Cette fonction n’existe pas.", "Esta función no existe."},
	"unknown_language":    {"Diese Sprache gibt es nicht.", "Cette langue n’existe pas.", "Este idioma no existe."},
	"unknown_locale":      {"Dieses Land oder diese Sprache gibt es nicht.", "Ce pays ou cette langue n’existe pas.", "Este país o idioma no existe."},
	"unknown_word":        {"So beginnt kein Tag.", "Aucune balise ne commence ainsi.", "Ninguna etiqueta empieza así."},
	"unknown_zone":        {"Diese Zeitzone gibt es nicht.", "Ce fuseau horaire n’existe pas.", "Esta zona horaria no existe."},
	"wrong_arguments":     {"Die Funktion bekommt falsche Angaben.", "La fonction reçoit de mauvais arguments.", "La función recibe argumentos equivocados."},
	"wrong_clause":        {"Hier steht je Eintrag ein einzelner Wert.", "Il faut ici une seule valeur par élément.", "Aquí va un solo valor por elemento."},
	"wrong_days":          {"Das ist keine mögliche Zahl von Tagen.", "Ce nombre de jours n’est pas possible.", "Este número de días no es posible."},
	"wrong_length":        {"Das ist keine mögliche Länge.", "Cette longueur n’est pas possible.", "Esta longitud no es posible."},
	"wrong_limit":         {"Das ist keine mögliche Höchstzahl.", "Cette limite n’est pas possible.", "Este límite no es posible."},
	"wrong_places":        {"Das ist keine mögliche Zahl von Stellen.", "Ce nombre de chiffres n’est pas possible.", "Este número de cifras no es posible."},
}
