package catalog

// texts are all of them by their English words. A text has the same verbs in each language;
// %[2]s is the second argument where the order differs.
var texts = map[string]texted{
	// Forms of templates.
	"Add a row":                          {"Zeile hinzufügen", "Ajouter une ligne", "Añadir una fila"},
	"Choose another":                     {"Ein anderes wählen", "En choisir une autre", "Elegir otra"},
	"or its address":                     {"oder seine Adresse", "ou son adresse", "o su dirección"},
	"Remove":                             {"Entfernen", "Supprimer", "Quitar"},
	"Remove row %s":                      {"Zeile %s: Entfernen", "Supprimer la ligne %s", "Quitar la fila %s"},
	"row %s":                             {"Zeile %s", "ligne %s", "fila %s"},
	"The picture that was chosen":        {"Das gewählte Bild", "L’image choisie", "La imagen elegida"},
	"There are several":                  {"Es gibt mehrere", "Il y en a plusieurs", "Hay varios"},
	"There is only one":                  {"Es gibt nur eins", "Il n’y en a qu’un", "Solo hay uno"},
	"The picture was not taken":          {"Das Bild wurde nicht angenommen", "L’image n’a pas été acceptée", "La imagen no se aceptó"},
	"Why stands at its field.":           {"Warum, steht bei seinem Feld.", "La raison est indiquée près de son champ.", "El motivo aparece junto a su campo."},
	"The file is empty. Choose another.": {"Die Datei ist leer. Wählen Sie eine andere.", "Le fichier est vide. Choisissez-en un autre.", "El archivo está vacío. Elija otro."},
	"The picture has more than 2 MiB. Choose a smaller one.":                   {"Das Bild hat mehr als 2 MiB. Wählen Sie ein kleineres.", "L’image dépasse 2 Mio. Choisissez-en une plus petite.", "La imagen supera los 2 MiB. Elija una más pequeña."},
	"The picture could not be read. Choose it once more.":                      {"Das Bild konnte nicht gelesen werden. Wählen Sie es noch einmal.", "L’image n’a pas pu être lue. Choisissez-la encore une fois.", "No se pudo leer la imagen. Elíjala otra vez."},
	"The file is no picture that can be used. Choose a PNG, JPEG or GIF file.": {"Die Datei ist kein verwendbares Bild. Wählen Sie eine PNG-, JPEG- oder GIF-Datei.", "Le fichier n’est pas une image utilisable. Choisissez un fichier PNG, JPEG ou GIF.", "El archivo no es una imagen que se pueda usar. Elija un archivo PNG, JPEG o GIF."},
	"All pictures together are too large. Choose smaller ones.":                {"Alle Bilder zusammen sind zu groß. Wählen Sie kleinere.", "Les images sont trop volumineuses ensemble. Choisissez-en de plus petites.", "Las imágenes juntas son demasiado grandes. Elija otras más pequeñas."},
	"That is too much": {"Das ist zu viel", "C’est trop", "Es demasiado"},
	"The form takes at most 4 MiB, its pictures included. Go back and shorten what was typed in, or choose smaller pictures.": {
		"Das Formular nimmt höchstens 4 MiB an, Bilder eingeschlossen. Gehen Sie zurück und kürzen Sie die Eingaben, oder wählen Sie kleinere Bilder.",
		"Le formulaire accepte 4 Mio au plus, images comprises. Revenez en arrière et raccourcissez la saisie, ou choisissez des images plus petites.",
		"El formulario acepta como máximo 4 MiB, imágenes incluidas. Vuelva atrás y acorte lo escrito, o elija imágenes más pequeñas.",
	},
	"The form could not be read":                     {"Das Formular konnte nicht gelesen werden", "Le formulaire n’a pas pu être lu", "No se pudo leer el formulario"},
	"Too much at once":                               {"Zu viel auf einmal", "Trop à la fois", "Demasiado a la vez"},
	"Wait a few seconds and try again.":              {"Warten Sie einige Sekunden und versuchen Sie es noch einmal.", "Attendez quelques secondes, puis réessayez.", "Espere unos segundos e inténtelo otra vez."},
	"There is no such page":                          {"Diese Seite gibt es nicht", "Cette page n’existe pas", "Esta página no existe"},
	"A list takes at most 200 rows. Take some away.": {"Eine Liste hat höchstens 200 Zeilen. Entfernen Sie einige.", "Une liste accepte 200 lignes au plus. Supprimez-en.", "Una lista acepta 200 filas como máximo. Quite algunas."},

	// The preview of a template.
	"Filling …": {"Wird ausgefüllt …", "Remplissage …", "Rellenando …"},
	"Filled.":   {"Ausgefüllt.", "Rempli.", "Relleno."},
	"The template cannot be filled with this. What is wrong stands above its pages.":      {"Die Vorlage kann damit nicht ausgefüllt werden. Woran es liegt, steht über ihren Seiten.", "Le modèle ne peut pas être rempli ainsi. Ce qui ne va pas est indiqué au-dessus de ses pages.", "La plantilla no se puede rellenar con esto. El motivo aparece encima de sus páginas."},
	"Many previews are being made. One moment …":                                          {"Viele Vorschauen werden gerade erstellt. Einen Moment …", "Beaucoup d’aperçus sont en préparation. Un instant …", "Se están creando muchas vistas previas. Un momento …"},
	"The service does not answer. What you typed is still here: press Fill the template.": {"Der Dienst antwortet nicht. Ihre Eingaben sind noch da: Drücken Sie „Vorlage ausfüllen“.", "Le service ne répond pas. Votre saisie est toujours là : appuyez sur « Remplir le modèle ».", "El servicio no responde. Lo que escribió sigue aquí: pulse «Rellenar la plantilla»."},

	// Public forms.
	"Send":                          {"Absenden", "Envoyer", "Enviar"},
	"Being sent. One moment …":      {"Wird gesendet. Einen Moment …", "Envoi en cours. Un instant …", "Enviando. Un momento …"},
	"Something is missing or wrong": {"Etwas fehlt oder stimmt nicht", "Il manque quelque chose, ou une valeur est erronée", "Falta algo o hay un error"},
	"Nothing was sent yet. What you typed is still here.": {"Es wurde noch nichts gesendet. Ihre Eingaben sind noch da.", "Rien n’a encore été envoyé. Votre saisie est toujours là.", "Aún no se ha enviado nada. Lo que escribió sigue aquí."},
	"Fill this in.":                                        {"Füllen Sie dieses Feld aus.", "Remplissez ce champ.", "Rellene este campo."},
	"Type in a number, such as 12.50.":                     {"Geben Sie eine Zahl ein, etwa 12,50.", "Saisissez un nombre, par exemple 12,50.", "Escriba un número, por ejemplo 12,50."},
	"Type in a date, such as 2026-12-24.":                  {"Geben Sie ein Datum ein, etwa 2026-12-24.", "Saisissez une date, par exemple 2026-12-24.", "Escriba una fecha, por ejemplo 2026-12-24."},
	"This picture cannot be used. Choose another.":         {"Dieses Bild kann nicht verwendet werden. Wählen Sie ein anderes.", "Cette image ne peut pas être utilisée. Choisissez-en une autre.", "Esta imagen no se puede usar. Elija otra."},
	"Type in an e-mail address, such as ada@example.com.":  {"Geben Sie eine E-Mail-Adresse ein, etwa ada@example.com.", "Saisissez une adresse e-mail, par exemple ada@example.com.", "Escriba una dirección de correo, por ejemplo ada@example.com."},
	"This does not fit here. Check it for a typing error.": {"Das passt hier nicht. Prüfen Sie, ob Sie sich vertippt haben.", "Cette valeur ne convient pas. Vérifiez la saisie.", "Este valor no es válido aquí. Compruebe si hay un error."},
	"Nothing is kept in your browser. The link of the result is there for an hour.": {
		"In Ihrem Browser wird nichts gespeichert. Den Link zum Ergebnis gibt es eine Stunde lang.",
		"Rien n’est conservé dans votre navigateur. Le lien du résultat existe pendant une heure.",
		"No se guarda nada en su navegador. El enlace al resultado existe durante una hora.",
	},
	"The form takes nothing right now":      {"Das Formular nimmt gerade nichts an", "Le formulaire n’accepte rien pour l’instant", "El formulario no acepta nada ahora"},
	"Ask the person who gave you the link.": {"Fragen Sie die Person, von der Sie den Link haben.", "Demandez à la personne qui vous a donné le lien.", "Pregunte a la persona que le dio el enlace."},
	"The form does not work right now":      {"Das Formular funktioniert gerade nicht", "Le formulaire ne fonctionne pas pour l’instant", "El formulario no funciona ahora"},
	"Something that it needs does not answer, or is set up wrong. Try again in a moment, or ask the person who gave you the link.": {
		"Etwas, das es braucht, antwortet nicht oder ist falsch eingerichtet. Versuchen Sie es gleich noch einmal, oder fragen Sie die Person, von der Sie den Link haben.",
		"Un élément nécessaire ne répond pas, ou est mal configuré. Réessayez dans un instant, ou demandez à la personne qui vous a donné le lien.",
		"Algo que necesita no responde o está mal configurado. Inténtelo en un momento o pregunte a la persona que le dio el enlace.",
	},
	"The link is not complete, or somebody made a new one. Ask the person who gave it to you.": {
		"Der Link ist nicht vollständig, oder jemand hat ihn erneuert. Fragen Sie die Person, von der Sie ihn haben.",
		"Le lien n’est pas complet, ou a été remplacé. Demandez à la personne qui vous l’a donné.",
		"El enlace no está completo o se ha sustituido. Pregunte a la persona que se lo dio.",
	},
	"Enough for today": {"Genug für heute", "Assez pour aujourd’hui", "Suficiente por hoy"},
	"This form was sent as often today as it may be. Try again tomorrow.": {
		"Dieses Formular wurde heute so oft gesendet, wie es erlaubt ist. Versuchen Sie es morgen noch einmal.",
		"Ce formulaire a été envoyé aujourd’hui autant de fois que permis. Réessayez demain.",
		"Este formulario ya se envió hoy tantas veces como se permite. Inténtelo mañana.",
	},
	"This form was sent from your address as often today as it may be. Try again tomorrow.": {
		"Dieses Formular wurde heute von Ihrer Adresse so oft gesendet, wie es erlaubt ist. Versuchen Sie es morgen noch einmal.",
		"Ce formulaire a été envoyé aujourd’hui depuis votre adresse autant de fois que permis. Réessayez demain.",
		"Este formulario ya se envió hoy desde su dirección tantas veces como se permite. Inténtelo mañana.",
	},
	"It is not known whether it was sent": {"Es ist nicht sicher, ob es gesendet wurde", "On ne sait pas si l’envoi a réussi", "No se sabe si se envió"},
	"Press the button again: the same form is sent once, however often you press.": {
		"Drücken Sie noch einmal: Dasselbe Formular wird nur einmal gesendet, so oft Sie auch drücken.",
		"Appuyez encore une fois : le même formulaire n’est envoyé qu’une fois.",
		"Pulse otra vez: el mismo formulario se envía una sola vez.",
	},
	"This came from another page":                           {"Das kam von einer anderen Seite", "Ceci vient d’une autre page", "Esto viene de otra página"},
	"Open the link of the form, and use its button.":        {"Öffnen Sie den Link des Formulars, und drücken Sie dort.", "Ouvrez le lien du formulaire, et utilisez son bouton.", "Abra el enlace del formulario y use su botón."},
	"This page has ended":                                   {"Diese Seite gibt es nicht mehr", "Cette page n’est plus disponible", "Esta página ya no está disponible"},
	"What a form has made is shown for an hour.":            {"Was ein Formular gemacht hat, wird eine Stunde lang gezeigt.", "Le résultat d’un formulaire est montré pendant une heure.", "El resultado de un formulario se muestra durante una hora."},
	"Your document is being made":                           {"Ihr Dokument wird erstellt", "Votre document est en préparation", "Su documento se está creando"},
	"This takes a few seconds. The page changes by itself.": {"Das dauert einige Sekunden. Die Seite ändert sich von selbst.", "Cela prend quelques secondes. La page change d’elle-même.", "Tarda unos segundos. La página cambia sola."},
	"It takes longer than usual. What you sent is kept, and the document is made later.": {
		"Es dauert länger als sonst. Ihre Angaben sind angekommen, und das Dokument wird später erstellt.",
		"Cela prend plus de temps que d’habitude. Votre envoi est enregistré, et le document sera fait plus tard.",
		"Tarda más de lo normal. Lo que envió se ha guardado y el documento se creará más tarde.",
	},
	"Look again":                         {"Noch einmal nachsehen", "Regarder à nouveau", "Mirar otra vez"},
	"Thank you":                          {"Vielen Dank", "Merci", "Gracias"},
	"Your form was sent.":                {"Ihr Formular wurde gesendet.", "Votre formulaire a été envoyé.", "Su formulario se ha enviado."},
	"Save it now: this page ends at %s.": {"Speichern Sie es jetzt: Diese Seite gibt es bis %s.", "Enregistrez-le maintenant : cette page disparaît à %s.", "Guárdelo ahora: esta página termina a las %s."},
	"Download %s":                        {"%s herunterladen", "Télécharger %s", "Descargar %s"},
	"The document could not be made":     {"Das Dokument konnte nicht erstellt werden", "Le document n’a pas pu être fait", "No se pudo crear el documento"},
	"What you sent has arrived. The person who gave you the link can see what went wrong, and make the document later.": {
		"Ihre Angaben sind angekommen. Die Person, von der Sie den Link haben, sieht, woran es lag, und kann das Dokument später erstellen.",
		"Votre envoi est arrivé. La personne qui vous a donné le lien peut voir ce qui a échoué, et faire le document plus tard.",
		"Lo que envió ha llegado. La persona que le dio el enlace puede ver qué falló y crear el documento más tarde.",
	},
	"No document is made for what you sent": {"Für Ihre Angaben wird kein Dokument erstellt", "Aucun document n’est fait pour votre envoi", "No se crea ningún documento para lo que envió"},
	"Send the form again":                   {"Das Formular noch einmal senden", "Envoyer à nouveau le formulaire", "Enviar otra vez el formulario"},

	// Pages of PDFs.
	"The pages are being made …":                       {"Die Seiten werden erstellt …", "Les pages sont en préparation …", "Las páginas se están creando …"},
	"Page {n} of {all}":                                {"Seite {n} von {all}", "Page {n} sur {all}", "Página {n} de {all}"},
	"First page":                                       {"Erste Seite", "Première page", "Primera página"},
	"Finding {n}":                                      {"Befund {n}", "Remarque {n}", "Hallazgo {n}"},
	"Show on page {n}":                                 {"Auf Seite {n} zeigen", "Montrer à la page {n}", "Mostrar en la página {n}"},
	"The other {n} pages are in the PDF.":              {"Die anderen {n} Seiten sind im PDF.", "Les {n} autres pages sont dans le PDF.", "Las otras {n} páginas están en el PDF."},
	"This PDF is encrypted":                            {"Dieses PDF ist verschlüsselt", "Ce PDF est chiffré", "Este PDF está cifrado"},
	"Password of this PDF. It stays in your browser":   {"Passwort dieses PDFs. Es bleibt in Ihrem Browser", "Mot de passe de ce PDF. Il reste dans votre navigateur", "Contraseña de este PDF. Se queda en su navegador"},
	"This is not its password.":                        {"Das ist nicht sein Passwort.", "Ce n’est pas son mot de passe.", "No es su contraseña."},
	"Open":                                             {"Öffnen", "Ouvrir", "Abrir"},
	"The file cannot be shown here. Open it as a PDF.": {"Die Datei kann hier nicht gezeigt werden. Öffnen Sie sie als PDF.", "Le fichier ne peut pas être montré ici. Ouvrez-le comme PDF.", "El archivo no se puede mostrar aquí. Ábralo como PDF."},
	"The pages could not be fetched. Check the connection, and load this page again.": {"Die Seiten konnten nicht geholt werden. Prüfen Sie die Verbindung, und laden Sie diese Seite neu.", "Les pages n’ont pas pu être chargées. Vérifiez la connexion, et rechargez cette page.", "No se pudieron obtener las páginas. Compruebe la conexión y vuelva a cargar esta página."},
	"The pages cannot be shown right now. Load this page again in a moment.":          {"Die Seiten können gerade nicht gezeigt werden. Laden Sie diese Seite gleich neu.", "Les pages ne peuvent pas être montrées pour l’instant. Rechargez cette page dans un instant.", "Las páginas no se pueden mostrar ahora. Vuelva a cargar esta página en un momento."},
}

// counts are the texts with a number, by their English words for others than one.
var counts = map[string]counted{
	"And %d more, which stay empty here.": {
		en: [2]string{"And %d more, which stays empty here.", "And %d more, which stay empty here."},
		de: [2]string{"Und %d weiteres, das hier leer bleibt.", "Und %d weitere, die hier leer bleiben."},
		fr: [2]string{"Et %d autre, qui reste vide ici.", "Et %d autres, qui restent vides ici."},
		es: [2]string{"Y %d más, que aquí queda vacío.", "Y %d más, que aquí quedan vacíos."},
	},
	"Your documents are ready": {
		en: [2]string{"Your document is ready", "Your documents are ready"},
		de: [2]string{"Ihr Dokument ist fertig", "Ihre Dokumente sind fertig"},
		fr: [2]string{"Votre document est prêt", "Vos documents sont prêts"},
		es: [2]string{"Su documento está listo", "Sus documentos están listos"},
	},
}
