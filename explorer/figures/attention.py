"""TEMP"""
import numpy as np

from explorer.figures.matrix import matrices, matrix
from explorer.i18n import _


def axis_titles(m):
    q = _("query (encoder)") if m.kind == "encoder" else _("query (decoder)")
    return q, _("key (decoder)") if m.kind == "decoder" else _("key (encoder)")
def axes_of(m):
    return dict(rows=list(m.query_labels), columns=list(m.key_labels), row_title="query", column_title="key")
def attention_heatmap(m, head, top=1.0): return matrix(m.weights[head], valid=m.allowed, top=top, **axes_of(m))
def attention_heatmaps(m, top=1.0, wide=None, size=None):
    return matrices(m.weights, names=[_("head {i}").format(i=i) for i in range(len(m.weights))], valid=m.allowed, top=top, **axes_of(m), **({"wide": wide} if wide else {}), **({"size": size} if size else {}))
