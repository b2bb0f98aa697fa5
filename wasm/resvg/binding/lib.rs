//! Binding of resvg: an SVG in, pixels out. One drawing is open at a time. A call that fails returns null and leaves a
//! message at `message_at`. No file is read and no fonts are loaded, so text is not drawn.

use resvg::tiny_skia::{Pixmap, Transform};
use resvg::usvg::{ImageHrefResolver, Options, Tree, TreeParsing};

struct Drawing {
    tree: resvg::Tree,
    pixmap: Option<Pixmap>,
}

static mut TEXT: Vec<u8> = Vec::new();
static mut MESSAGE: String = String::new();
static mut DRAWING: Option<Drawing> = None;

fn options() -> Options {
    let mut options = Options { font_family: String::new(), ..Options::default() };
    // Other files are never opened.
    options.image_href_resolver = ImageHrefResolver {
        resolve_data: ImageHrefResolver::default_data_resolver(),
        resolve_string: Box::new(|_, _| None),
    };
    options
}

fn failed(message: String) -> u32 {
    unsafe { MESSAGE = message };
    0
}

/// Returns memory for a text of so many bytes, which `open` reads.
#[no_mangle]
pub extern "C" fn text_room(bytes: usize) -> *mut u8 {
    unsafe {
        TEXT = vec![0; bytes];
        (*(&raw mut TEXT)).as_mut_ptr()
    }
}

/// Parses the text. Returns 0 if it is no drawing.
#[no_mangle]
pub extern "C" fn open() -> u32 {
    let text = unsafe {
        DRAWING = None;
        std::mem::take(&mut *(&raw mut TEXT))
    };
    let parsed = match std::str::from_utf8(&text) {
        Ok(text) => Tree::from_str(text, &options()),
        Err(error) => return failed(error.to_string()),
    };
    match parsed {
        Ok(tree) => {
            let tree = resvg::Tree::from_usvg(&tree);
            unsafe { DRAWING = Some(Drawing { tree, pixmap: None }) };
            1
        }
        Err(error) => failed(error.to_string()),
    }
}

fn drawing() -> Option<&'static mut Drawing> {
    unsafe { (*(&raw mut DRAWING)).as_mut() }
}

/// Width of the open drawing in CSS pixels, rounded.
#[no_mangle]
pub extern "C" fn width() -> f32 {
    drawing().map_or(0.0, |drawing| drawing.tree.size.width().round())
}

/// Height of the open drawing in CSS pixels, rounded.
#[no_mangle]
pub extern "C" fn height() -> f32 {
    drawing().map_or(0.0, |drawing| drawing.tree.size.height().round())
}

/// Draws the open drawing at `zoom` times its size. Returns the pixels: RGBA with colours multiplied by alpha. 0: the
/// picture would have no pixels.
#[no_mangle]
pub extern "C" fn draw(zoom: f32) -> u32 {
    let Some(drawing) = drawing() else { return failed("no drawing is open".into()) };
    let size = drawing.tree.size;
    let scaled = |side: f32| (side * zoom).round().max(0.0);
    let (wide, high) = (scaled(size.width()), scaled(size.height()));
    drawing.pixmap = None;
    let Some(mut pixmap) = Pixmap::new(wide as u32, high as u32) else {
        return failed("Target size is zero".into());
    };
    let transform = Transform::from_scale(wide / size.width(), high / size.height());
    drawing.tree.render(transform, &mut pixmap.as_mut());
    let at = pixmap.data().as_ptr() as u32;
    drawing.pixmap = Some(pixmap);
    at
}

/// Width in pixels of the picture that `draw` made.
#[no_mangle]
pub extern "C" fn drawn_width() -> u32 {
    drawing().and_then(|drawing| drawing.pixmap.as_ref()).map_or(0, Pixmap::width)
}

/// Height in pixels of the picture that `draw` made.
#[no_mangle]
pub extern "C" fn drawn_height() -> u32 {
    drawing().and_then(|drawing| drawing.pixmap.as_ref()).map_or(0, Pixmap::height)
}

/// Frees the open drawing and its picture.
#[no_mangle]
pub extern "C" fn close() {
    unsafe { DRAWING = None };
}

#[no_mangle]
pub extern "C" fn message_at() -> *const u8 {
    unsafe { (*(&raw const MESSAGE)).as_ptr() }
}

#[no_mangle]
pub extern "C" fn message_length() -> usize {
    unsafe { (*(&raw const MESSAGE)).len() }
}
