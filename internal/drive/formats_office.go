package drive

// officeFormats binds the formats to the packages beside this one.
func officeFormats() formats {
	return formats{}
}
