"""The operators that a graph may have: all of them arithmetic on tensors, without loops, files, texts or chance.

More than our own exports use, so that other exporters' graphs and later versions of ours fit. Left out on purpose:
whatever holds graphs (Loop, Scan, If, the searches), sequences, optionals, maps, texts, images, random numbers.
"""

from __future__ import annotations

_ONNX = """
    Abs Acos Acosh Add And ArgMax ArgMin Asin Asinh Atan Atanh Attention BatchNormalization BitShift BitwiseAnd
    BitwiseNot BitwiseOr BitwiseXor Cast CastLike Ceil Celu Clip Compress Concat Constant ConstantOfShape Conv Cos Cosh
    CumSum DequantizeLinear Div DynamicQuantizeLinear Einsum Elu Equal Erf Exp Expand EyeLike Flatten Floor GRU Gather
    GatherElements GatherND Gelu Gemm GlobalAveragePool GlobalMaxPool Greater GreaterOrEqual GroupNormalization
    HardSigmoid HardSwish Hardmax Identity InstanceNormalization IsInf IsNaN LSTM LayerNormalization LeakyRelu Less
    LessOrEqual Log LogSoftmax MatMul MatMulInteger Max Mean MeanVarianceNormalization Min Mish Mod Mul Neg NonZero Not
    OneHot Or PRelu Pad Pow QLinearMatMul QuantizeLinear RMSNormalization RNN Range Reciprocal ReduceL1 ReduceL2
    ReduceLogSum ReduceLogSumExp ReduceMax ReduceMean ReduceMin ReduceProd ReduceSum ReduceSumSquare Relu Reshape
    ReverseSequence RotaryEmbedding Round ScatterElements ScatterND Selu Shape Sigmoid Sign Sin Sinh Size Slice Softmax
    Softplus Softsign Split Sqrt Squeeze Sub Sum Swish Tan Tanh ThresholdedRelu Tile TopK Transpose Trilu Unsqueeze
    Where Xor
"""
_MICROSOFT = """
    Attention BiasGelu BiasSoftmax DequantizeLinear DynamicQuantizeLSTM DynamicQuantizeMatMul EmbedLayerNormalization
    FastGelu FusedGemm FusedMatMul Gelu MatMulIntegerToFloat MatMulNBits MultiHeadAttention QAttention
    QLinearAdd QLinearMul QLinearSigmoid QLinearSoftmax QuantizeLinear QuickGelu RotaryEmbedding
    SkipLayerNormalization SkipSimplifiedLayerNormalization TransposeMatMul
"""
DOMAINS = {"": "", "ai.onnx": "", "com.microsoft": "com.microsoft"}
"""The domains of operators, each with the one name it goes by below."""
OPERATORS = {"": frozenset(_ONNX.split()), "com.microsoft": frozenset(_MICROSOFT.split())}
"""The operators of each domain."""
