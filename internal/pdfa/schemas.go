package pdfa

import (
	"strings"
	"sync"
)

// structures are value types of XMP that have fields (XMP Specification of September 2005).
var structures = map[string]map[string]string{
	"ResourceRef":       fieldsOf("instanceID URI, documentID URI, versionID Text, renditionClass RenditionClass, renditionParams Text, manager AgentName, managerVariant Text, manageTo URI, manageUI URI, fromPart Text, toPart Text, partMapping Text, originalDocumentID URI, filePath URI, lastModifyDate Date, maskMarkers Text, alternatePaths seq URI"),
	"ResourceEvent":     fieldsOf("action Choice, instanceID URI, parameters Text, softwareAgent AgentName, when Date, changed Text"),
	"Version":           fieldsOf("comments Text, event ResourceEvent, modifyDate Date, modifier ProperName, version Text"),
	"Job":               fieldsOf("name Text, id Text, url URL"),
	"Dimensions":        fieldsOf("w Real, h Real, unit Choice"),
	"Font":              fieldsOf("fontName Text, fontFamily Text, fontFace Text, fontType Choice, versionString Text, composite Boolean, fontFileName Text, childFontFiles seq Text"),
	"Colorant":          fieldsOf("swatchName Text, mode Choice, type Choice, cyan Real, magenta Real, yellow Real, black Real, red Integer, green Integer, blue Integer, L Real, A Integer, B Integer"),
	"Thumbnail":         fieldsOf("height Integer, width Integer, format Choice, image Text"),
	"Flash":             fieldsOf("Fired Boolean, Return Integer, Mode Integer, Function Boolean, RedEyeMode Boolean"),
	"OECF":              fieldsOf("Columns Integer, Rows Integer, Names seq Text, Values seq Rational"),
	"CFAPattern":        fieldsOf("Columns Integer, Rows Integer, Values seq Integer"),
	"DeviceSettings":    fieldsOf("Columns Integer, Rows Integer, Settings seq Text"),
	"ProjectLink":       fieldsOf("type Choice, path URI"),
	"Media":             fieldsOf("path URI, track Text, startTime Time, duration Time, managed Boolean, webStatement URI"),
	"TimeValue":         fieldsOf("value Integer, scale Rational"),
	"TimecodeValue":     fieldsOf("timeFormat Choice, timeValue Text, value Integer"),
	"Marker":            fieldsOf("startTime Time, duration Time, comment Text, name Text, location URI, target Text, type Choice, speaker ProperName, probability Real, cuePointParams Any, cuePointType Text"),
	"beatSpliceStretch": fieldsOf("useFileBeatsMarker Boolean, riseInDecibel Real, riseInTimeDuration TimeValue"),
	"resampleParams":    fieldsOf("quality Choice"),
	"timeScaleStretch":  fieldsOf("quality Choice, frameSize Real, frameOverlappingPercentage Real"),
}

func fieldsOf(list string) map[string]string {
	out := map[string]string{}
	for _, one := range strings.Split(list, ", ") {
		n, kind, _ := strings.Cut(strings.TrimSpace(one), " ")
		out[n] = kind
	}
	return out
}

// schemas are those of XMP (Specification of September 2005) and of PDF/A, by their namespaces.
var schemas = sync.OnceValue(func() map[string]xmpSchema {
	out := map[string]xmpSchema{}
	for space, list := range map[string]string{
		"http://purl.org/dc/elements/1.1/":             "contributor bag ProperName, coverage Text, creator seq ProperName, date seq Date, description lang, format MIMEType, identifier Text, language bag Locale, publisher bag ProperName, relation bag Text, rights lang, source Text, subject bag Text, title lang, type bag Choice",
		"http://ns.adobe.com/xap/1.0/":                 "Advisory bag XPath, BaseURL URL, CreateDate Date, CreatorTool AgentName, Identifier bag Text, Label Text, MetadataDate Date, ModifyDate Date, Nickname Text, Rating Real, Thumbnails alt Thumbnail",
		"http://ns.adobe.com/xap/1.0/rights/":          "Certificate URL, Marked Boolean, Owner bag ProperName, UsageTerms lang, WebStatement URL",
		"http://ns.adobe.com/xap/1.0/mm/":              "DerivedFrom ResourceRef, DocumentID URI, History seq ResourceEvent, InstanceID URI, OriginalDocumentID URI, ManagedFrom ResourceRef, Manager AgentName, ManageTo URI, ManageUI URI, ManagerVariant Text, RenditionClass RenditionClass, RenditionParams Text, VersionID Text, Versions seq Version, LastURL URL, RenditionOf ResourceRef, SaveID Integer",
		"http://ns.adobe.com/xap/1.0/bj/":              "JobRef bag Job",
		"http://ns.adobe.com/xap/1.0/t/pg/":            "MaxPageSize Dimensions, NPages Integer, Fonts bag Font, Colorants seq Colorant, PlateNames seq Text",
		"http://ns.adobe.com/pdf/1.3/":                 "Keywords Text, PDFVersion Text, Producer AgentName",
		"http://ns.adobe.com/photoshop/1.0/":           "AuthorsPosition Text, CaptionWriter ProperName, Category Text, City Text, Country Text, Credit Text, DateCreated Date, Headline Text, Instructions Text, Source Text, State Text, SupplementalCategories bag Text, TransmissionReference Text, Urgency Integer",
		"http://ns.adobe.com/exif/1.0/aux/":            "Lens Text, SerialNumber Text",
		nsID:                                           "part Integer, conformance Text, amd Text, corr Text",
		"http://ns.adobe.com/xmp/1.0/DynamicMedia/":    "projectRef ProjectLink, videoFrameRate Text, videoFrameSize Dimensions, videoPixelAspectRatio Rational, videoPixelDepth Choice, videoColorSpace Choice, videoAlphaMode Choice, videoAlphaPremultipleColor Colorant, videoAlphaUnityIsTransparent Boolean, videoCompressor Text, videoFieldOrder Choice, pullDown Choice, audioSampleRate Integer, audioSampleType Choice, audioChannelType Choice, audioCompressor Text, speakerPlacement Text, fileDataRate Rational, tapeName Text, altTapeName Text, startTimecode TimecodeValue, altTimecode TimecodeValue, duration TimeValue, scene Text, shotName Text, shotDate Date, shotLocation Text, logComment Text, markers seq Marker, contributedMedia bag Media, absPeakAudioFilePath URI, relativePeakAudioFilePath URI, videoModDate Date, audioModDate Date, metadataModDate Date, artist Text, album Text, trackNumber Integer, genre Text, copyright Text, releaseDate Date, composer Text, engineer Text, tempo Real, instrument Text, introTime TimeValue, outCue TimeValue, relativeTimestamp TimeValue, loop Boolean, numberOfBeats Real, key Choice, stretchMode Choice, timeScaleParams timeScaleStretch, resampleParams resampleParams, beatSpliceParams beatSpliceStretch, timeSignature Choice, scaleType Choice",
		"http://ns.adobe.com/camera-raw-settings/1.0/": "AutoBrightness Boolean, AutoContrast Boolean, AutoExposure Boolean, AutoShadows Boolean, BlueHue Integer, BlueSaturation Integer, Brightness Integer, CameraProfile Text, ChromaticAberrationB Integer, ChromaticAberrationR Integer, ColorNoiseReduction Integer, Contrast Integer, CropTop Real, CropLeft Real, CropBottom Real, CropRight Real, CropAngle Real, CropWidth Real, CropHeight Real, CropUnits Integer, Exposure Real, GreenHue Integer, GreenSaturation Integer, HasCrop Boolean, HasSettings Boolean, LuminanceSmoothing Integer, RawFileName Text, RedHue Integer, RedSaturation Integer, Saturation Integer, Shadows Integer, ShadowTint Integer, Sharpness Integer, Temperature Integer, Tint Integer, ToneCurve seq Any, ToneCurveName Choice, Version Text, VignetteAmount Integer, VignetteMidpoint Integer, WhiteBalance Choice",
		"http://ns.adobe.com/tiff/1.0/":                "ImageWidth Integer, ImageLength Integer, BitsPerSample seq Integer, Compression Integer, PhotometricInterpretation Integer, Orientation Integer, SamplesPerPixel Integer, PlanarConfiguration Integer, YCbCrSubSampling seq Integer, YCbCrPositioning Integer, XResolution Rational, YResolution Rational, ResolutionUnit Integer, TransferFunction seq Integer, WhitePoint seq Rational, PrimaryChromaticities seq Rational, YCbCrCoefficients seq Rational, ReferenceBlackWhite seq Rational, DateTime Date, ImageDescription lang, Make ProperName, Model ProperName, Software AgentName, Artist ProperName, Copyright lang",
		"http://ns.adobe.com/exif/1.0/":                "ExifVersion Text, FlashpixVersion Text, ColorSpace Integer, ComponentsConfiguration seq Integer, CompressedBitsPerPixel Rational, PixelXDimension Integer, PixelYDimension Integer, UserComment lang, RelatedSoundFile Text, DateTimeOriginal Date, DateTimeDigitized Date, ExposureTime Rational, FNumber Rational, ExposureProgram Integer, SpectralSensitivity Text, ISOSpeedRatings seq Integer, OECF OECF, ShutterSpeedValue Rational, ApertureValue Rational, BrightnessValue Rational, ExposureBiasValue Rational, MaxApertureValue Rational, SubjectDistance Rational, MeteringMode Integer, LightSource Integer, Flash Flash, FocalLength Rational, SubjectArea seq Integer, FlashEnergy Rational, SpatialFrequencyResponse OECF, FocalPlaneXResolution Rational, FocalPlaneYResolution Rational, FocalPlaneResolutionUnit Integer, SubjectLocation seq Integer, ExposureIndex Rational, SensingMethod Integer, FileSource Integer, SceneType Integer, CFAPattern CFAPattern, CustomRendered Integer, ExposureMode Integer, WhiteBalance Integer, DigitalZoomRatio Rational, FocalLengthIn35mmFilm Integer, SceneCaptureType Integer, GainControl Integer, Contrast Integer, Saturation Integer, Sharpness Integer, DeviceSettingDescription DeviceSettings, SubjectDistanceRange Integer, ImageUniqueID Text, GPSVersionID Text, GPSLatitude GPSCoordinate, GPSLongitude GPSCoordinate, GPSAltitudeRef Integer, GPSAltitude Rational, GPSTimeStamp Date, GPSSatellites Text, GPSStatus Text, GPSMeasureMode Text, GPSDOP Rational, GPSSpeedRef Text, GPSSpeed Rational, GPSTrackRef Text, GPSTrack Rational, GPSImgDirectionRef Text, GPSImgDirection Rational, GPSMapDatum Text, GPSDestLatitude GPSCoordinate, GPSDestLongitude GPSCoordinate, GPSDestBearingRef Text, GPSDestBearing Rational, GPSDestDistanceRef Text, GPSDestDistance Rational, GPSProcessingMethod Text, GPSAreaInformation Text, GPSDifferential Integer",
	} {
		out[space] = fieldsOf(list)
	}
	return out
})
