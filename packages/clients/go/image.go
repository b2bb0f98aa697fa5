package whittle

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"net/url"
	"strings"
)

// ImageKey is the key and secret of PUT /v1/image-origins/{name}. The secret must stay on your server.
type ImageKey struct {
	Key    string // img_…
	Secret string // ims_…
}

// ImageURL returns the signed address of a small picture. source is the name of the origin and the path below it, not encoded;
// options are separated by commas, such as "w_640,f_auto".
func ImageURL(baseURL string, key ImageKey, source, options string) string {
	mac := hmac.New(sha256.New, []byte(key.Secret))
	mac.Write([]byte(options + "/" + key.Key + "/" + source))
	signature := base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
	segments := strings.Split(source, "/")
	for i, segment := range segments {
		segments[i] = url.PathEscape(segment)
	}
	return strings.TrimRight(baseURL, "/") + "/img/" + signature + "/" + options + "/" + key.Key + "/" + strings.Join(segments, "/")
}
